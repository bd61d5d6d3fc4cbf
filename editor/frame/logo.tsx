// Renders the logo: two nodes and the connection between them.

export function Logo({ size = 22 }: { readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="var(--accent)"
      strokeWidth="3.4"
      strokeLinecap="round"
      aria-hidden
    >
      <circle cx="8" cy="9" r="4.5" />
      <circle cx="24" cy="23" r="4.5" />
      <path d="M12.5 9C22 9 10 23 19.5 23" />
    </svg>
  );
}
