import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { fileAt } from '../api/client.js';
import { wordsFor } from '../ui/form-problem.js';
import { saveFile } from '../ui/save-file.js';
import { type DeliveryFilter, exportAddress } from './filter.js';

const FORMATS = [
  { format: 'csv', label: 'Export CSV' },
  { format: 'jsonl', label: 'Export JSON lines' },
] as const;

type Format = (typeof FORMATS)[number]['format'];

/**
 * Saves what the filter lets through as a file, 10,000 deliveries at most. The file comes by a call, because a plain
 * link carries no token of the portal and cannot renew the access of a session.
 */
export function ExportList({ filter }: { readonly filter: DeliveryFilter }) {
  const { mutate, isPending, variables, error } = useMutation({
    gcTime: 0, // the result is a whole file
    mutationFn: async (format: Format) =>
      saveFile(`deliveries.${format}`, await fileAt(exportAddress(filter, format, new Date()))),
  });
  return (
    <>
      {FORMATS.map(({ format, label }) => (
        <Button
          key={format}
          size="xs"
          variant="subtle"
          title="What the filter lets through, the newest 10,000 at most"
          loading={isPending && variables === format}
          onClick={() => mutate(format)}
        >
          {label}
        </Button>
      ))}
      {error && (
        <Text role="alert" size="sm">
          {wordsFor(error)}
        </Text>
      )}
    </>
  );
}
