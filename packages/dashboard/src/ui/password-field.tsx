import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useId } from 'react';

/** A password, named to the screen reader with its hint and its error as TextInput does by itself. */
export function PasswordField(props: PasswordInputProps) {
  const id = useId();
  return (
    <PasswordInput
      aria-invalid={props.error ? true : undefined}
      aria-describedby={`${id}-hint ${id}-error`}
      descriptionProps={{ id: `${id}-hint` }}
      errorProps={{ id: `${id}-error` }}
      required
      {...props}
    />
  );
}
