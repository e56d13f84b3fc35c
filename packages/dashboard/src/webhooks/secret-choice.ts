/** What becomes of a webhook's secret when its form is saved. */
export type SecretChoice = 'keep' | 'generate' | 'own' | 'none';

export interface SecretOption {
  readonly value: SecretChoice;
  readonly label: string;
  readonly description: string;
}

const GENERATE = {
  value: 'generate',
  label: 'Generate one',
  description: 'Random, made in your browser. It is shown once, after saving.',
} as const;
const OWN = {
  value: 'own',
  label: 'Use my own',
  description: '1 to 256 bytes. After whsec_ it must be base64.',
} as const;

const FOR_UNSIGNED: readonly SecretOption[] = [
  GENERATE,
  OWN,
  {
    value: 'none',
    label: 'No secret',
    description: 'The receiver cannot tell our requests from those of somebody else.',
  },
];

const FOR_SIGNED: readonly SecretOption[] = [
  {
    value: 'keep',
    label: 'Keep the secret it has',
    description: 'Nothing changes for the receiver.',
  },
  { ...GENERATE, label: 'Replace it with a generated one' },
  { ...OWN, label: 'Replace it with my own' },
  {
    value: 'none',
    label: 'Remove it',
    description: 'Requests are no longer signed: the receiver must stop asking for a signature.',
  },
];

export const secretOptions = (hasSecret: boolean): readonly SecretOption[] =>
  hasSecret ? FOR_SIGNED : FOR_UNSIGNED;
