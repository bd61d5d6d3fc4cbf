// Markdown of notes → markup: loaded where a note is on the board. No HTML and no pictures get through: others write boards too.
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
