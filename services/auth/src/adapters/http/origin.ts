/** How an account was opened: `password`, or the id of a trusted issuer, of which none has that id. */
export const originOf = (issuerId: string | null): string => issuerId ?? 'password';
