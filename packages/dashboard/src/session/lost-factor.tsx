/** The way back for who cannot show the factor that is asked for. */
export const LostFactor = () => (
  <p>
    Lost it? Use one of your recovery codes. Without one, ask an operator of this installation to
    remove your second factors: <a href="/docs/recover">how to get back in</a>.
  </p>
);
