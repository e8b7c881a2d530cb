/** Why something did not work; nothing while all is well. */
export function Warning({ text }: { text: string }) {
  if (!text) return null;
  return (
    <p className="warning" role="alert">
      {text}
    </p>
  );
}
