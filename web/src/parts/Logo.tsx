/** The mark of the page: the pavilion on the pier, over the sea. */
export function Logo({ size = 36 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <circle cx="32" cy="32" r="31" fill="#0e4a58" />
      <circle cx="45" cy="19" r="7" fill="#f3c24f" />
      <path d="M30 24h4l-2-10z" fill="#f3c24f" />
      <path d="M22 28q10-3 20 0l-3-5H25z" fill="#d5543a" />
      <path d="M16 35q16-4 32 0l-4-7H20z" fill="#d5543a" />
      <path d="M20 35h24v11h-4V39h-4v7h-8v-7h-4v7h-4z" fill="#fffdf7" />
      <path d="M2 46q7-4 15 0t15 0 15 0 15 0q-4 10-13 14-17 7-34 0Q6 56 2 46z" fill="#1b7f8c" />
      <path d="M7 53q6-3 12 0t13 0 13 0 12 0" fill="none" stroke="#7cc4c8" strokeWidth="2" />
    </svg>
  );
}
