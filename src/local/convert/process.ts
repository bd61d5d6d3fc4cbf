// Converts a model: `process.ts MODEL PACKAGE-FOLDER FILE`.
import { renameSync, writeFileSync } from 'node:fs';
import { type ConvertibleModel, SOURCES } from './sources.ts';

const [name = '', folder = '', file = ''] = process.argv.slice(2);
const part = `${file}.${process.pid}.part`;
writeFileSync(part, SOURCES[name as ConvertibleModel].convert(folder));
// Renamed when complete, so that another process never reads a part of the file.
renameSync(part, file);
