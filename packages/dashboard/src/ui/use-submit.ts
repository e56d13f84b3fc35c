import type { UseFormReturnType } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { fieldErrors } from '../api/problem.js';

type Values = Record<string, unknown>;

interface SubmitOptions<V, R> {
  readonly send: (values: V) => Promise<R>;
  readonly onSuccess: (result: R, values: V) => Promise<void> | void;
}

/**
 * Sends a form whose fields are named as the API names them. What the API refuses is shown at its field, and the
 * first wrong field takes the focus. `clear` empties the form, and forgets what was sent and answered.
 */
export function useSubmit<V extends Values, R>(
  form: UseFormReturnType<V>,
  { send, onSuccess }: SubmitOptions<V, R>,
) {
  const focusFirst = (wrong: object) => {
    const first = Object.keys(form.getValues()).find((field) => field in wrong);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };
  const { mutate, isPending, error, reset } = useMutation({
    gcTime: 0, // Variables and result may hold a secret.
    mutationFn: send,
    onSuccess,
    onError: (error) => {
      const wrong = fieldErrors(error);
      form.setErrors(wrong);
      focusFirst(wrong);
    },
  });
  const submit = form.onSubmit((values) => mutate(values), focusFirst);
  const clear = () => {
    form.reset();
    reset();
  };
  return { submit, isPending, error, clear };
}

/** Sends the form of a dialog. The form is empty again once it was sent or left. */
export function useDialogForm<V extends Values, R>(
  form: UseFormReturnType<V>,
  { send, onSuccess, onClose }: SubmitOptions<V, R> & { readonly onClose: () => void },
) {
  const { submit, isPending, error, clear } = useSubmit(form, {
    send,
    onSuccess: (result, values) => {
      clear();
      return onSuccess(result, values);
    },
  });
  const close = () => {
    clear();
    onClose();
  };
  return { error, dialog: { pending: isPending, onSubmit: submit, onClose: close } };
}
