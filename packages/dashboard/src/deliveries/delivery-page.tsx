export function DeliveryPage() {
  return <h1>DeliveryPage</h1>;
}
