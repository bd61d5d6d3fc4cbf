// A process that renders a video and is killed meanwhile: reports each frame, and never ends by itself.

import type { VideoJob } from '../../../src/render/video/job.ts';
import { renderVideo } from '../../../src/render/video/video.ts';

const { files, ...job } = JSON.parse(process.argv[2] ?? '') as VideoJob;
const onFrame = (done: number): void => void process.stdout.write(`${done}\n`);
await renderVideo({ ...job, files: new Map() }, { onFrame }, new AbortController().signal);
