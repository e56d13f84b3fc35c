import { Button } from '@mantine/core';
import { downloadFrom } from '../ui/save-file.js';
import { type DeliveryFilter, exportAddress } from './filter.js';

const FORMATS = [
  { format: 'csv', label: 'Export CSV' },
  { format: 'jsonl', label: 'Export JSON lines' },
] as const;

/** Downloads what the filter lets through as a file, 10,000 deliveries at most. */
export const ExportList = ({ filter }: { readonly filter: DeliveryFilter }) =>
  FORMATS.map(({ format, label }) => (
    <Button
      key={format}
      size="xs"
      variant="subtle"
      title="What the filter lets through, the newest 10,000 at most"
      onClick={() => downloadFrom(exportAddress(filter, format, new Date()))}
    >
      {label}
    </Button>
  ));
