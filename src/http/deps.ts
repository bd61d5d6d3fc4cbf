// What the routes are handed first: the parts of every service, and those that only HTTP needs.
import type { EditorFiles } from '../bundle/editor-files.ts';
import type { RunDeps } from '../runs/deps.ts';

export interface HttpDeps extends RunDeps {
  /** The files of the web application. */
  readonly editor: EditorFiles;
  /** From where the application may load media and where it may upload to, besides the service itself. */
  readonly mediaOrigins: readonly string[];
}
