() => {
  const box = (element) => element.getBoundingClientRect();
  const looked = ".plate, .place-act > *, .bar-buttons .button, .stepper, .column, .tools, .question, .waiting";
  const shown = [...document.querySelectorAll(looked)].filter((element) => box(element).width > 0);
  const faults = [];
  for (const one of shown) {
    const a = box(one);
    if (a.left < -1 || a.top < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1) {
      faults.push(`${one.className} sticks out: ${JSON.stringify(a)}`);
    }
    for (const other of shown) {
      if (one === other || one.contains(other) || other.contains(one)) continue;
      const b = box(other);
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 1.5) faults.push(`${one.className} covers ${other.className}: ${wide} x ${high}`);
    }
  }
  return faults;
};
