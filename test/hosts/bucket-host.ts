// Runs an S3 server with one bucket as a host's process. argv: its folder, the port, the bucket.
import S3rver from '@20minutes/s3rver';

const [directory = '', port = '', name = ''] = process.argv.slice(2);
const configureBuckets = [{ name }];
const server = new S3rver({
  address: '0.0.0.0',
  port: Number(port),
  silent: true,
  directory,
  configureBuckets,
});
await server.run();
process.stderr.write('ready at bucket \n');
