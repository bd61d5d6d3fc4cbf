// The floor of CDN reads: @fastify/static on one folder, and nothing else.
// Run as a child: node bench/bare-static.ts FOLDER; prints its address when it listens.
import fastifyStatic from '@fastify/static';
import { fastify } from 'fastify';

const [root = ''] = process.argv.slice(2);
const app = fastify();
await app.register(fastifyStatic, { root });
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
