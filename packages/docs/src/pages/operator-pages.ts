import { API_AREAS } from './api-calls.js';
import { apiArea } from './api-reference.js';
import { type Page, page, type Section } from './page.js';
import { runbooks } from './runbooks.js';

/** Pages of the areas of the API: of those for operators, or of the others. */
export function areaPages(areForOperators: boolean): readonly Page[] {
  return API_AREAS.filter(({ name }) => name.startsWith('operations') === areForOperators).map(
    (area) => page(`/docs/api/${area.name}`, area.label, area.description, () => apiArea(area)),
  );
}

/** The pages of those who run an installation. */
export const OPERATORS: Section = {
  title: 'For operators',
  pages: [
    page('/docs/images', 'Images', 'The images and their gateway.', 'docs/operate/images.md'),
    page(
      '/docs/compose',
      'Docker Compose',
      'The product from containers on one machine.',
      'docs/operate/compose.md',
    ),
    page(
      '/docs/compose-production',
      'A small production',
      'One machine by Docker Compose: enough for what, backup, upgrade.',
      'docs/operate/compose-production.md',
    ),
    page(
      '/docs/kubernetes',
      'Kubernetes',
      'The first time, every release, and with operators for Kafka and Postgres.',
      'docs/operate/kubernetes.md',
    ),
    page(
      '/docs/secrets',
      'Secrets',
      'All secrets, and how to change them.',
      'docs/operate/secrets.md',
    ),
    page(
      '/docs/versions',
      'Versions',
      'Where the version is shown, which versions fit, and how long they are supported.',
      'docs/operate/versions.md',
    ),
    page('/docs/backup', 'Backup', 'What to keep for a restore.', 'docs/operate/backup.md'),
    page(
      '/docs/restore',
      'Restore to a moment',
      'An overlay for a cluster with operators, and a drill.',
      'docs/operate/restore.md',
    ),
    page(
      '/docs/regions',
      'Two regions',
      'What is where, and what is lost with a region.',
      'docs/operate/regions.md',
    ),
    page(
      '/docs/configuration',
      'Configuration',
      'Every setting of the services, and their rights in Kafka.',
      'docs/configuration.md',
    ),
    page(
      '/docs/sending',
      'How webhooks are sent',
      'Where requests may go, retries, circuits, replicas, retention, settings.',
      'docs/webhooks/operations.md',
    ),
    page(
      '/docs/doctor',
      'Doctor',
      'What it looks at in a deployment, and what to do about what it finds.',
      'docs/doctor.md',
    ),
    page(
      '/docs/metrics',
      'Metrics',
      'Every metric of the services, and the alerts, dashboards and traces beside them.',
      'docs/metrics.md',
    ),
    page(
      '/docs/runbooks',
      'Runbooks',
      'Every alert: what it means, what to look at, what to do.',
      runbooks,
    ),
    page(
      '/docs/google-and-microsoft',
      'Google and Microsoft',
      'What to create in their consoles, so that users can connect accounts there.',
      'docs/connecting-google-and-microsoft.md',
    ),
    ...areaPages(true),
  ],
};
