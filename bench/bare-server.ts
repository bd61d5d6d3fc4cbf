// The baseline for GET /workflows/{id}: a Fastify route that only sends one text column. Run as a child process: node
// bench/bare-server.ts SOCKET_DIR. Prints its URL when it listens.
import { fastify } from 'fastify';
import pg from 'pg';

const [socketDir] = process.argv.slice(2);
const pool = new pg.Pool({ host: socketDir as string, user: 'postgres', database: 'postgres', max: 20 });
const app = fastify();
app.get('/:id', async (req, reply) => {
  const { rows } = await pool.query({
    name: 'read',
    text: 'select body from bench_text where id = $1',
    values: [(req.params as { id: string }).id],
  });
  return reply.header('content-type', 'application/json; charset=utf-8').send(rows[0].body);
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
