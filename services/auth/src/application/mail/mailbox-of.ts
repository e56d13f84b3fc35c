/**
 * Returns the mailbox that an address probably leads to: many servers pass over a tag, and Google's over dots. Good for
 * counting mails to addresses that have not answered, where a mistake costs little, and for nothing else.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const [name = ''] = address.slice(0, at).split('+');
  return `${name.replaceAll('.', '')}${address.slice(at)}`.toLowerCase();
}
