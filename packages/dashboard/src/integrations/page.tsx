export function IntegrationsPage() {
  return <h1>IntegrationsPage</h1>;
}
