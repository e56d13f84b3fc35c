export type SignIn =
  | { readonly accountId: string }
  | { readonly error: string; readonly email: string };

/** The account is the e-mail address; the password only has to be there. */
export function signIn(form: URLSearchParams): SignIn {
  const email = (form.get('email') ?? '').trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) {
    return { error: 'Enter an e-mail address, such as you@example.org.', email };
  }
  if (!form.get('password')) return { error: 'Enter a password. Any will do.', email };
  return { accountId: email };
}
