return function(input)
  finding { namect = "not_observed", growth = "of gaps are ever much longer" }
end
