import { Alert } from '@mantine/core';
import { IconCheck } from './icons.js';

export interface NoticeProps {
  /** Text of the notice; undefined: no notice. */
  readonly children: string | undefined;
  readonly onClose: () => void;
}

/** Notice of an action that was just done. Screen readers announce it, and the focus stays where it is. */
export const Notice = ({ children, onClose }: NoticeProps) => (
  <div role="status">
    {children && (
      <Alert
        mt="md"
        color="green"
        icon={<IconCheck />}
        withCloseButton
        closeButtonLabel="Close"
        onClose={onClose}
      >
        {children}
      </Alert>
    )}
  </div>
);
