// The thread that matches costly regular expressions.
import { RE2JS } from 're2js';
import { serveTasks } from '../../lib/threads/serve.ts';
import { performRegexTask, type RegexAnswer, type RegexTask } from './task.ts';

serveTasks<RegexTask, RegexAnswer>(task => performRegexTask(RE2JS.compile(task.pattern), task));
