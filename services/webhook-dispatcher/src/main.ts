import { runService } from '@junction/platform';
import { service } from './service.js';

await runService(service, process);
