// Maps the records of runs to inputs in a thread of the pool in map-record.ts.
import { parseExactJson } from '../../lib/exact-numbers.ts';
import { serveTasks } from '../../lib/threads/serve.ts';
import { mapInputs } from './map-inputs.ts';
import type { RecordMapping } from './map-record.ts';

serveTasks<RecordMapping, string>(({ pointers, text }) => mapInputs(pointers, parseExactJson(text)));
