// The baseline for CDN reads: @fastify/static serving one folder. Run as a child process: node bench/bare-static.ts
// FOLDER. Prints its URL when it listens.
import fastifyStatic from '@fastify/static';
import { fastify } from 'fastify';

const [root = ''] = process.argv.slice(2);
const app = fastify();
await app.register(fastifyStatic, { root });
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
