// Renders a video in a process that tests kill. Stops after reporting the first frame, so that the render cannot finish.
import { writeSync } from 'node:fs';
import { renderVideo } from '../../../src/render/video/render-video.ts';
import type { VideoRequest } from '../../../src/render/video/video-request.ts';

const { files, ...request } = JSON.parse(process.argv[2] ?? '') as VideoRequest;
function onFrame(done: number): void {
  writeSync(1, `${done}\n`);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
await renderVideo({ ...request, files: new Map() }, { onFrame }, new AbortController().signal);
