import type { UseFormReturnType } from '@mantine/form';
import { SETTINGS, type SettingName, type WebhookFormValues } from './form-values.js';

export type WebhookFormState = UseFormReturnType<WebhookFormValues>;

/** Returns what a control of the form needs to show a setting. */
export const controlOf = (form: WebhookFormState, name: SettingName) => {
  const type = typeof form.values[name] === 'boolean' ? 'checkbox' : 'input';
  return { label: SETTINGS[name].label, ...form.getInputProps(name, { type }) };
};
