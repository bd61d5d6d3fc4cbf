// Renders a video in a process that tests kill: reports the first frame and then stalls, so that the render cannot
// finish before.

import { writeSync } from 'node:fs';
import type { VideoJob } from '../../../src/render/video/job.ts';
import { renderVideo } from '../../../src/render/video/video.ts';

const { files, ...job } = JSON.parse(process.argv[2] ?? '') as VideoJob;
function onFrame(done: number): void {
  writeSync(1, `${done}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
await renderVideo({ ...job, files: new Map() }, { onFrame }, new AbortController().signal);
