import { Alert, PasswordInput, type PasswordInputProps, Radio, Stack } from '@mantine/core';
import { Fragment, useId } from 'react';
import { IconAlertTriangle } from '../ui/icons.js';
import { consequenceOf, type SecretChoice, secretOptions } from './secret-choice.js';

export interface SecretFieldProps {
  readonly hasSecret: boolean;
  readonly choice: SecretChoice;
  readonly onChoice: (choice: SecretChoice) => void;
  /** Properties that the form gives to the field of the user's own secret. */
  readonly own: PasswordInputProps;
}

export function SecretField({ hasSecret, choice, onChoice, own }: SecretFieldProps) {
  const errorId = useId();
  const consequence = consequenceOf(choice, hasSecret);
  return (
    <Radio.Group
      label="Secret"
      description="Requests are signed with it, so that the receiver knows they are ours."
      value={choice}
      onChange={onChoice}
    >
      <Stack gap="md" mt="md">
        {secretOptions(hasSecret).map((option) => (
          <Fragment key={option.value}>
            <Radio {...option} />
            {option.value === 'own' && choice === 'own' && (
              <PasswordInput
                label="Your secret"
                autoComplete="off"
                required
                visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
                // TextInput sets these attributes by itself; PasswordInput does not.
                aria-invalid={Boolean(own.error)}
                aria-describedby={errorId}
                errorProps={{ id: errorId }}
                {...own}
              />
            )}
          </Fragment>
        ))}
        {consequence && (
          <Alert color="orange" icon={<IconAlertTriangle />}>
            {consequence}
          </Alert>
        )}
      </Stack>
    </Radio.Group>
  );
}
