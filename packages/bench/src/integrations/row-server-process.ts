// The least that hands out a token over gRPC: a server that reads one row for each call, and does nothing else.
import { once } from 'node:events';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type IntegrationsServiceServer, IntegrationsServiceService } from '@junction/contracts';
import pg from 'pg';

const LIFETIME_MS = 3_600_000;
const POOL_MAX = 10;

const [connectionString] = (await once(process, 'message')) as [string];
const pool = new pg.Pool({ connectionString, max: POOL_MAX });

async function tokenOf(userId: string): Promise<string> {
  const { rows } = await pool.query<{ token: string }>({
    name: 'token',
    text: 'select token from tokens where user_id = $1',
    values: [userId],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('There is no row for this user.');
  return row.token;
}

const getAccessToken: IntegrationsServiceServer['getAccessToken'] = ({ request }, answer) => {
  tokenOf(request.userId).then(
    (accessToken) =>
      answer(null, {
        accessToken,
        expiresAt: new Date(Date.now() + LIFETIME_MS),
        scopes: request.scopes,
        credentialVersion: 1,
        integrationId: '',
      }),
    (error: unknown) => answer(error as Error),
  );
};

const server = new Server();
server.addService(IntegrationsServiceService, { getAccessToken });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.send?.(`127.0.0.1:${port}`);
});
process.on('disconnect', () => process.exit(0));
