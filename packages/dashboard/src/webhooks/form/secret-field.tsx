import { Alert, Radio, Stack } from '@mantine/core';
import { Fragment } from 'react';
import { IconAlertTriangle } from '../../ui/icons.js';
import { OwnSecret, type OwnSecretProps } from './own-secret.js';
import { consequenceOf, type SecretChoice, secretOptions } from './secret-choice.js';

export interface SecretFieldProps {
  readonly hasSecret: boolean;
  readonly choice: SecretChoice;
  readonly onChoice: (choice: SecretChoice) => void;
  /** Properties that the form gives to the field of the user's own secret. */
  readonly own: OwnSecretProps;
}

export function SecretField({ hasSecret, choice, onChoice, own }: SecretFieldProps) {
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
            {option.value === 'own' && choice === 'own' && <OwnSecret {...own} />}
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
