import { PasswordInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { withoutBlanksAround } from './new-secret.js';

export interface OwnSecretProps {
  readonly value: string;
  readonly error: ReactNode;
  readonly description?: string;
  readonly onSecret: (secret: string) => void;
}

/** The field of a user's own secret. Blanks around what is pasted are removed, and the user reads that. */
export function OwnSecret({ onSecret, description, ...props }: OwnSecretProps) {
  const [noteId, errorId] = [useId(), useId()];
  const [isTrimmed, setTrimmed] = useState(false);
  return (
    <PasswordInput
      label="Your secret"
      description={isTrimmed ? 'Blanks around what you pasted were removed.' : description}
      autoComplete="off"
      required
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
      // TextInput sets these attributes by itself; PasswordInput does not.
      aria-invalid={Boolean(props.error)}
      aria-describedby={`${noteId} ${errorId}`}
      descriptionProps={{ id: noteId, role: 'status' }}
      errorProps={{ id: errorId }}
      // A line end is seen here alone: the field itself drops it.
      onPaste={({ clipboardData }) => {
        const pasted = clipboardData.getData('text');
        setTrimmed(pasted !== withoutBlanksAround(pasted));
      }}
      onChange={({ currentTarget: { value }, nativeEvent }) => {
        const isPasted = (nativeEvent as InputEvent).inputType === 'insertFromPaste';
        onSecret(isPasted ? withoutBlanksAround(value) : value);
        if (!isPasted) setTrimmed(false);
      }}
      {...props}
    />
  );
}
