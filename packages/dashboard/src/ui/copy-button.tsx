import { ActionIcon, Button, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import classes from './copy-button.module.css';
import { IconCheck, IconCopy } from './icons.js';

const SHOWN_MS = 2_000;

export interface CopyButtonProps {
  readonly text: string;
  /** Label that says what is copied: `Copy delivery id`. */
  readonly label: string;
  /** True where copying is the main action: the button has words beside its icon. */
  readonly wide?: boolean;
  /** True among other actions: the button is small, with words. */
  readonly small?: boolean;
}

export function CopyButton({ text, label, wide = false, small = false }: CopyButtonProps) {
  const { copy, copied, error } = useClipboard({ timeout: SHOWN_MS });
  const Icon = copied ? IconCheck : IconCopy;
  const outcome = error
    ? 'Copying doesn’t work here. Select the text instead.'
    : copied && 'Copied';

  if (wide || small) {
    return (
      <>
        <Button
          variant="default"
          size={small ? 'compact-xs' : 'sm'}
          leftSection={<Icon size={16} />}
          onClick={() => copy(text)}
        >
          {outcome || label}
        </Button>
        <VisuallyHidden role="status">{outcome}</VisuallyHidden>
      </>
    );
  }
  return (
    <span className={classes['copy']}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="md"
        aria-label={label}
        title={label}
        onClick={() => copy(text)}
      >
        <Icon size={16} />
      </ActionIcon>
      <span role="status">{outcome}</span>
    </span>
  );
}
