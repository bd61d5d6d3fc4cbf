// A process that renders a video and is killed meanwhile: reports the first frame, and stands still from then on, so that
// the render cannot end before it is killed.

import { writeSync } from 'node:fs';
import type { VideoJob } from '../../../src/render/video/job.ts';
import { renderVideo } from '../../../src/render/video/video.ts';

const { files, ...job } = JSON.parse(process.argv[2] ?? '') as VideoJob;
function onFrame(done: number): void {
  writeSync(1, `${done}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
await renderVideo({ ...job, files: new Map() }, { onFrame }, new AbortController().signal);
