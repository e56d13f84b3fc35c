/** Choice of what happens to a webhook's secret when its form is saved. */
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
  description:
    '1 to 256 bytes. After whsec_ it must be base64. Libraries for Standard Webhooks take a secret without whsec_ as the base64 of it.',
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
    description: 'The receiver must stop asking for a signature made with it.',
  },
];

export const secretOptions = (hasSecret: boolean): readonly SecretOption[] =>
  hasSecret ? FOR_SIGNED : FOR_UNSIGNED;

/**
 * Describes what replacing or removing an existing secret does to attempts under way; undefined when nothing changes.
 */
export function consequenceOf(choice: SecretChoice, hasSecret: boolean): string | undefined {
  if (!hasSecret || choice === 'keep') return undefined;
  const after =
    choice === 'none'
      ? 'Everything after it, retries too, carries none.'
      : 'Everything after it, retries too, is signed with the new one alone, and a receiver that does not have it yet refuses that. To change it without such a gap, rotate it on the page of the webhook.';
  return `It is in effect at once. An attempt under way still carries the old one. ${after}`;
}
