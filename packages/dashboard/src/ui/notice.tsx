import { Alert } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';

export interface NoticeProps {
  /** What was done; undefined: nothing to tell. */
  readonly children: string | undefined;
  readonly onClose: () => void;
}

/** What was done just now. It is read aloud without taking the focus away. */
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
