// Renders the markdown of notes. Loaded when a board has a note. HTML is escaped and images are shown as text, because
// notes can come from other users.
import MarkdownIt from 'markdown-it';

const MAX_CHARS = 20_000;
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true }).disable('image');

const openLink = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  tokens[index]?.attrSet('target', '_blank');
  tokens[index]?.attrSet('rel', 'noopener noreferrer');
  return openLink?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
};

export const renderNote = (text: string): string => markdown.render(text.slice(0, MAX_CHARS));
