/** A soft bell, made here rather than loaded. */

let context: AudioContext | null = null;

/** Ring once; browsers allow it after the person has touched the page. */
export function ring(): void {
  try {
    context ??= new AudioContext();
    const now = context.currentTime;
    for (const [at, pitch] of [
      [0, 660],
      [0.12, 880],
    ] as const) {
      const tone = context.createOscillator();
      const volume = context.createGain();
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.0001, now + at);
      volume.gain.exponentialRampToValueAtTime(0.12, now + at + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, now + at + 0.4);
      tone.connect(volume).connect(context.destination);
      tone.start(now + at);
      tone.stop(now + at + 0.45);
    }
  } catch {
    // No sound on this device.
  }
}
