// Placeholder until the first test stands here.
