import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '../../api/problem.js';
import { FormFoot } from '../../ui/form-foot.js';
import { FormProblem } from '../../ui/form-problem.js';
import { Unsaved } from '../../ui/unsaved.js';
import classes from './form.module.css';
import { formProblems } from './form-problems.js';
import { SETTING_NAMES, type WebhookFormValues } from './form-values.js';
import { PARTS, type Part, type PartProps } from './parts.js';

export interface WebhookFormProps extends Omit<PartProps, 'form'> {
  /** Values to begin with. Other ones replace what the form holds. */
  readonly initial: WebhookFormValues;
  /** Parts that the form shows; all other values stay as they are. */
  readonly parts: readonly Part[];
  readonly action: string;
  readonly pending: boolean;
  readonly error: unknown;
  /** Stands beside the form where there is room. */
  readonly beside?: (values: WebhookFormValues) => ReactNode;
  /** Notice above the button that saves. */
  readonly notice?: ReactNode;
  readonly onSubmit: (values: WebhookFormValues) => void;
  /** The way out, beside the button that saves. */
  readonly cancel?: ReactNode;
}

/** Fields in their order on the page, as far as it matters which of the wrong ones is the first. */
const FIELDS = ['url', 'description', 'events', 'secret', ...SETTING_NAMES];

/** A form with settings of a webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { initial, parts, action, pending, error, notice, beside, onSubmit, cancel } = props;
  const form = useForm<WebhookFormValues>({ initialValues: initial, validate: formProblems });
  const { setErrors, setValues, resetDirty } = form;
  const [getInputNode] = useState(() => form.getInputNode); // another at each render, all alike
  const [wrong, setWrong] = useState<object>({});
  useEffect(() => {
    const errors = fieldErrors(error);
    setErrors(errors);
    setWrong(errors);
  }, [error, setErrors]);
  useEffect(() => {
    const first = FIELDS.find((field) => field in wrong);
    if (first !== undefined) getInputNode(first)?.focus();
  }, [wrong, getInputNode]);
  useEffect(() => {
    setValues(initial);
    resetDirty(initial);
  }, [initial, setValues, resetDirty]);

  return (
    <form noValidate onSubmit={form.onSubmit(onSubmit, setWrong)}>
      <div className={classes['fields']} data-example={beside && true}>
        <Stack gap="lg">
          {parts.map((part) => (
            <div key={part}>{PARTS[part].fields({ ...props, form })}</div>
          ))}
          {notice}
          <FormFoot>
            <FormProblem error={error} fields={FIELDS} />
            <Group justify="flex-end">
              {cancel}
              <Button type="submit" loading={pending}>
                {action}
              </Button>
            </Group>
          </FormFoot>
          <Unsaved isDirty={form.isDirty()} />
        </Stack>
        {beside?.(form.values)}
      </div>
    </form>
  );
}
