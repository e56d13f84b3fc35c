import { Failure } from '../failure.js';
import { AUDIENCES, type ServiceName } from '../settings.js';
import { commandOf, group } from '../verbs.js';
import { serviceOption, type World } from '../world.js';

/**
 * `junction restore …`: only prints what to run, and exits with 1 because nothing was done. A service that waits for
 * this command has no gRPC server open, and auth gives no token for that service.
 */
export const command = ({ output }: World) =>
  group('restore', 'steps after the restore of a database from a dump', [
    commandOf({
      name: 'finish',
      about:
        'print how to let a service begin that found its database restored into another cluster',
      options: [serviceOption()],
    }).action(({ service }: { readonly service: ServiceName }) => {
      output.out(instructions(AUDIENCES[service], service));
      throw new Failure('Nothing was done yet: the service finishes its restore itself.');
    }),
  ]);

const instructions = (name: string, service: ServiceName): string => `\
A restore is finished by the service, which alone has its database. While it waits for that, its readiness
names "restore", and nobody can ask it for anything. Run one of these:

  kubectl --namespace junction exec deployment/${name} -- node main.mjs finish-restore
  docker compose exec ${name} node main.mjs finish-restore
  node services/${name}/dist/src/main.js finish-restore   # in a shell with the service's environment

It rewrites each event once, and says "rebased". The service begins within seconds, on every replica.
Look at it then:

  junction doctor -s ${service}
`;
