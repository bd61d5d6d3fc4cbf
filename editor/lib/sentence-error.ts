// An error whose message can be shown to the user.
export class SentenceError extends Error {}
