/** Enough of an address for who knows it: `ada@example.com` is `a***@e***.com`. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  return `${email.slice(0, 1)}***@${domain.slice(0, 1)}***${dot < 0 ? '' : domain.slice(dot)}`;
}
