export function CallbackPage() {
  return <h1>CallbackPage</h1>;
}
