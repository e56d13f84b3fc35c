// Reads environments as the services do, all in one process: on stdin [{ of, service, words, env }], on
// stdout [{ of, status, stderr }], in that order.
import { text } from 'node:stream/consumers';
import { runService } from '../../service/dist/index.js';

const answers = [];
for (const { of, service: name, words, env } of JSON.parse(await text(process.stdin))) {
  const { service } = await import(`../../../services/${name}/dist/src/service.js`);
  const answer = { of, status: null, stderr: '' };
  await runService(service, {
    env,
    argv: ['node', 'main.js', ...words],
    on() {},
    stdout: { write() {} },
    stderr: { write: (line) => (answer.stderr += line) },
    exit: (status) => (answer.status = status),
  });
  answers.push(answer);
}
process.stdout.write(JSON.stringify(answers));
