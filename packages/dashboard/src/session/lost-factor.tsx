import { Anchor } from '@mantine/core';
import { Quiet } from '../ui/text.js';

/** The way back for who cannot show the factor that is asked for. */
export const LostFactor = () => (
  <Quiet>
    Lost it? Use one of your recovery codes. Without one, ask an operator of this installation to
    remove your second factors: <Anchor href="/docs/recover">how to get back in</Anchor>.
  </Quiet>
);
