// Let the search take what people paste: the text of an exception. To Material's search, `TypeError: …` asks for a field
// that is called TypeError, and it finds nothing.
(() => {
  const QUERY = 2 // Material's number for a message that holds a query
  const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/g
  const post = Worker.prototype.postMessage
  // Signs that separate words in the index separate them in a query as well.
  const words = text => text.split(/[^\p{L}\p{N}_.]+|\.(?!\d)/u).filter(word => word !== "")
  // Words that the index leaves out (lunr's list for English): nothing has them, so they can't be asked for.
  const leftOut = new Set(
    ("a able about across after all almost also am among an and any are as at be because been but by can cannot could " +
      "dear did do does either else ever every for from get got had has have he her hers him his how however i if in " +
      "into is it its just least let like likely may me might most must my neither no nor not of off often on only or " +
      "other our own rather said say says she should since so some than that the their them then there these they this " +
      "tis to too twas us wants was we were what when where which while who whom why will with would yet you your"
    ).split(" "),
  )
  const unique = list => [...new Set(list.map(word => word.toLowerCase()))].filter(word => !leftOut.has(word))

  const rewritten = query => {
    if (!/\w(?:Error|Exception|Warning):/.test(query)) return words(query).join(" ")
    // What a message quotes is the reader's own: it may be found. The first words around it are the message's: they have to be.
    const own = unique(words((query.match(QUOTED) ?? []).join(" "))).filter(word => /\p{L}/u.test(word))
    const fixed = unique(words(query.replace(QUOTED, " ").replace(/(?<![\p{L}\p{N}_.])\d\S*|\bfor \w+:/gu, " "))).filter(word => word.length > 2)
    const required = fixed.slice(0, 6).map(word => `+${word}`)
    return [...required, ...fixed.slice(6).map(word => `${word}^1`), ...own.map(word => `${word}^20`)].join(" ")
  }

  Worker.prototype.postMessage = function (message, ...rest) {
    const isQuery = message?.type === QUERY && typeof message.data === "string"
    return post.call(this, isQuery ? { ...message, data: rewritten(message.data) } : message, ...rest)
  }
})()
