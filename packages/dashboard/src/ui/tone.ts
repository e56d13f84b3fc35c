/** What a status means for its reader; a colour repeats it. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral';
