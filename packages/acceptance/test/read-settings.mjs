// Reads environments as the services do, all in one process: on stdin [{ service, env }], on stdout
// [{ status, stderr }], in that order.
import { text } from 'node:stream/consumers';
import { runService } from '../../service/dist/index.js';

const answers = [];
for (const { service: name, env } of JSON.parse(await text(process.stdin))) {
  const { service } = await import(`../../../services/${name}/dist/src/service.js`);
  const answer = { status: null, stderr: '' };
  await runService(service, {
    env,
    // A word that is no command: with settings it can use a service says so, and ends.
    argv: ['node', 'main.js', 'settings'],
    on() {},
    stdout: { write() {} },
    stderr: { write: (line) => (answer.stderr += line) },
    exit: (status) => (answer.status = status),
  });
  answers.push(answer);
}
process.stdout.write(JSON.stringify(answers));
