// Maps the records of runs to inputs in a thread of the pool in map-record.ts.
import { serveTasks } from '../../lib/threads/serve.ts';
import { mapInputs } from './map-inputs.ts';
import type { RecordMapping } from './map-record.ts';

serveTasks<RecordMapping, string>(({ pointers, text }) => mapInputs(pointers, JSON.parse(text)));
