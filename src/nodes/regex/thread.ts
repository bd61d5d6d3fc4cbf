// Runs costly regular expressions in a worker thread.
import { RE2JS } from 're2js';
import { serveTasks } from '../../lib/threads/serve.ts';
import { performRegexTask, type RegexResult, type RegexTask } from './task.ts';

serveTasks<RegexTask, RegexResult>(task => performRegexTask(RE2JS.compile(task.pattern), task));
