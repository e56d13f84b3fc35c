import { Button } from '@mantine/core';

export interface ToggleProps {
  /** Whether what the button names is shown. */
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly children: string;
}

/** Shows and hides a part of the page. */
export const Toggle = ({ isOn, onToggle, children }: ToggleProps) => (
  <Button
    size="xs"
    variant={isOn ? 'light' : 'default'}
    aria-pressed={isOn}
    onClick={() => onToggle(!isOn)}
  >
    {children}
  </Button>
);
