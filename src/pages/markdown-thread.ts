// The worker thread that renders the markdown of long pages.
import { serveTasks } from '../lib/threads/serve.ts';
import { renderMarkdown } from './markdown.ts';

serveTasks<readonly string[], string[]>(parts => parts.map(renderMarkdown));
