import { runService } from '@junction/service';
import { service } from './service.js';

await runService(service, process);
